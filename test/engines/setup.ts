/**
 * vitest's global setup of the projects that need engines: one Docker engine for the whole run, and a door at which
 * tests ask for the btrfs one. `CAISSON_TEST_DOCKER_HOST` names an engine to use instead; the test images are added
 * to it.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { startEngine, whyNoEngine, type Engine, type EngineKind } from './engine.ts';
import { importImages } from './images.ts';
import { enginesRequired } from './places.ts';

/** Several projects of one run share the engines: the first one starts and ends them. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['CAISSON_TEST_ENGINES'] !== undefined) return undefined;
  const started: Engine[] = [];
  const start = async (kind: EngineKind): Promise<string | null> => {
    const engine = await startOrSay(kind);
    if (engine !== null) started.push(engine);
    return engine?.host ?? null;
  };
  const given = process.env['CAISSON_TEST_DOCKER_HOST'];
  if (given) await importImages(given);
  else process.env['CAISSON_TEST_DOCKER_HOST'] = (await start('plain')) ?? '';
  // The btrfs engine exists on Linux only.
  const door = process.platform === 'linux' ? await openDoor(start) : null;
  return async () => {
    door?.close();
    await Promise.all(started.map((engine) => engine.stop()));
  };
}

/** Absent here is a loud skip, and a failure where engines are required. */
async function startOrSay(kind: EngineKind): Promise<Engine | null> {
  try {
    const why = await whyNoEngine(kind);
    if (why !== null) throw new Error(why);
    return await startWithImages(kind);
  } catch (error) {
    if (enginesRequired()) throw new Error(`no Docker engine (${kind}) for the tests`, { cause: error });
    const reason = error instanceof Error ? error.message : String(error);
    console.warn(`\n  NOT RUN: every test that needs a Docker engine (${kind}). Reason: ${reason}\n`);
    return null;
  }
}

async function startWithImages(kind: EngineKind): Promise<Engine> {
  const engine = await startEngine(kind);
  try {
    await importImages(engine.host);
  } catch (error) {
    await engine.stop();
    throw error;
  }
  return engine;
}

/**
 * Tests run in processes of their own, so they ask through a socket; a process that connects gets the one answer. It is an
 * abstract one (unix(7)), which is gone with us however we end.
 */
async function openDoor(start: (kind: EngineKind) => Promise<string | null>): Promise<Server> {
  let asked: Promise<string> | null = null;
  const door = createServer((socket) => {
    asked ??= start('btrfs').then(
      (host) => JSON.stringify({ host }),
      (error: unknown) => JSON.stringify({ error: error instanceof Error ? error.message : String(error) }),
    );
    socket.on('error', () => {}); // A test that has given up asking needs no answer.
    void asked.then((answer) => socket.end(`${answer}\n`));
  });
  const name = `caisson-test-engines-${randomUUID()}`;
  await new Promise<void>((resolve, reject) => door.once('error', reject).listen(`\0${name}`, resolve));
  process.env['CAISSON_TEST_ENGINES'] = name;
  return door;
}
