/** Modal's service on this machine, for one test file. */
import { type ModalEmulator, type ModalOptions, startModal } from '../../src/emulators/modal/emulator.ts';

/** Commands need namespaces of their own, and those need root. */
export const whyNoModal: string | null =
  process.getuid?.() === 0 ? null : 'the emulator of Modal keeps commands apart by namespaces, which need root';

export async function startModalOrWhy(
  options: Omit<ModalOptions, 'unsafe'> = {},
): Promise<{ readonly modal: ModalEmulator | null; readonly why: string | null }> {
  if (whyNoModal !== null) return { modal: null, why: whyNoModal };
  return { modal: await startModal({ ...options, unsafe: false }), why: null };
}
