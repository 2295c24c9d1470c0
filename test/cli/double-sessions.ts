/** Sessions of the double: each text in a shell of its own, which its words may end. */
import type { CaissonApi, SessionInput, SessionName } from '../../src/service/api.ts';

const start = { restored: true, lost: ['functions'] };

export function sessionsOf(
  double: Pick<CaissonApi, 'exec' | 'run'>,
  log: (line: string) => void,
): CaissonApi['sessions'] {
  return {
    open: ({ taskId, name }: SessionName) => {
      log(`session open ${taskId} ${name}`);
      return Promise.resolve({ name, open: true, shell: 'bash', ...start });
    },
    exec: async ({ taskId, name, text, env }: SessionInput) => {
      log(`session run ${taskId} ${name} ${String(text)} ${Object.keys(env ?? {}).join()}`);
      const running = await double.exec({ taskId, command: ['sh', '-c', String(text)] });
      const session = running.exit.then(() => ({ sessionEnded: String(text).startsWith('exit'), endStatus: null }));
      return { ...running, ...start, session };
    },
    run: async ({ taskId, text }: SessionInput) => {
      const result = await double.run({ taskId, command: ['sh', '-c', String(text)] });
      return { ...result, ...start, sessionEnded: false, endStatus: null };
    },
    close: ({ taskId, name }: SessionName) => Promise.resolve(log(`session close ${taskId} ${name}`)),
    list: () => Promise.resolve([{ name: 'dev', open: false, shell: null, restored: false, lost: [] }]),
  };
}
