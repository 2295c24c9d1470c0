/** A home whose configuration is a snippet that documents print, and commands in it. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CaissonApi, openCaisson, type OpenInput } from '../../src/index.ts';
import { type Home, makeHome } from './home.ts';

export const snippet = async (name: string): Promise<string> =>
  await readFile(fileURLToPath(new URL(`../fixtures/documented/${name}`, import.meta.url)), 'utf8');

export interface Documented extends Home {
  /** Directory in which programs are started; what is in the home itself is protected from commands. */
  readonly project: string;
  /** The service, with what a program adds: an approver, variables, another directory. */
  service(input?: OpenInput): Promise<CaissonApi>;
}

/** `change`: what a test replaces in the snippet. */
export async function documented(
  name: string,
  change: (text: string) => string = (text) => text,
  host?: string | null,
): Promise<Documented> {
  const home = await (host === undefined ? makeHome() : makeHome(host));
  const project = `${home.path}-project`;
  await mkdir(project);
  await writeFile(join(home.path, 'config.yaml'), change(await snippet(name)), { mode: 0o600 });
  const opened: CaissonApi[] = [];
  const close = home[Symbol.asyncDispose];
  return {
    ...home,
    project,
    service: async ({ env = {}, ...input } = {}) => {
      const caisson = await openCaisson({ home: home.path, cwd: project, ...input, env: { ...home.env, ...env } });
      opened.push(caisson);
      return caisson;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((caisson) => caisson.close()));
      await rm(project, { recursive: true });
      await close();
    },
  };
}

/** Output of a command of a task on the backend of the snippet, or on the one that is named. */
export async function printed(
  caisson: CaissonApi,
  command: string,
  more: { readonly backend?: string; readonly skills?: readonly string[] } = {},
): Promise<string> {
  const { stdout, stderr } = await caisson.run({ taskId: 'demo', command: ['sh', '-c', command], ...more });
  return stdout.text + stderr.text;
}

/** The code of the refusal, or `null` when the command ran. */
export async function refusal(caisson: CaissonApi, command: string, backend: string): Promise<string | null> {
  const request = { taskId: `on-${backend}`, backend, command: ['sh', '-c', command] } as const;
  return await caisson.run(request).then(
    () => null,
    (error: unknown) => String(Reflect.get(Object(error), 'code')),
  );
}
