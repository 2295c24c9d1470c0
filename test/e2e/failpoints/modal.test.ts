import { type ModalService, startModalService, whyNoModal } from '../../engines/modal.ts';
import { failpoints } from './suite.ts';

let service: ModalService | null = null;

failpoints({
  backend: 'modal',
  isSampled: true,
  isThere: whyNoModal === null,
  open: async () => {
    service = await startModalService();
    return { settings: { modal_image: 'debian:12' }, env: service.env };
  },
  close: () => service?.stop(),
  left: async () => {
    if (service === null) return [];
    const { sandboxes, images } = await service.state();
    // One image is that of the reference; all others are snapshots.
    return [...sandboxes.filter(({ status }) => status === null), ...images.slice(1)];
  },
});
