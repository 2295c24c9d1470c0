/**
 * A service that is killed under many execs, and the next one on the same state. Clients repeat each request with its id, as
 * they must: they cannot know whether it had arrived. `scripts/load.ts` runs it in full.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { report } from '../counts.ts';
import { dockerHost } from '../engines/docker.ts';
import { everyLine, linesOf } from '../http/world.ts';
import { makeHome } from './home.ts';
import { openOn, output, type Service, start } from './http-service.ts';
import { bytesOf, type Event } from './resuming.ts';

/** Number of execs of each kind. */
const count = Number(process.env['CAISSON_LOAD_KILLED'] ?? 10);
const sandboxes = 5;
/** Ticks of half a second. Every third attached exec ends early, so that some have ended when the service is killed. */
const ticksOf = (name: string): number => (/^attached-\d*[0369]$/.test(name) ? 1 : 12);
/** Part of the requested execs that has begun when the service is killed. */
const answered = 0.7;

interface NamedRequest {
  readonly name: string;
  readonly path: string;
  readonly body: { readonly command: readonly string[]; readonly execId: string };
}

const asked = (kind: 'background' | 'attached', runs: string): readonly NamedRequest[] =>
  Array.from({ length: count }, (_, index) => {
    const name = `${kind}-${index}`;
    const script = `echo ${name} >> ${runs}; i=0; while [ $i -lt ${ticksOf(name)} ]; do i=$((i+1)); echo ${name}-$i; sleep 0.5; done`;
    const path = `/v1/sandboxes/killed-${index % sandboxes}`;
    return { name, path, body: { command: ['sh', '-c', script], execId: `exec_${name}` } };
  });

const written = (name: string): string =>
  Array.from({ length: ticksOf(name) }, (_, i) => `${name}-${i + 1}\n`).join('');

/** Runs an attached exec, which ends with the connection. */
async function attach(service: Service, { path, body }: NamedRequest, started: () => void): Promise<void> {
  for await (const { type } of linesOf(await service.ask(`${path}/execs`, { body }))) if (type === 'started') started();
}

async function detach(service: Service, { path, body }: NamedRequest, started: () => void): Promise<void> {
  const response = await service.ask(`${path}/processes`, { body });
  expect([response.status, await response.json()]).toMatchObject([201, { id: body.execId }]);
  started();
}

async function killUnder(
  service: Service,
  background: readonly NamedRequest[],
  attached: readonly NamedRequest[],
): Promise<number> {
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  const started = (): void => {
    begun += 1;
    if (begun >= answered * 2 * count) resolve();
  };
  const all = background.flatMap((each, index) => {
    const other = attached[index];
    return [detach(service, each, started), ...(other === undefined ? [] : [attach(service, other, started)])];
  });
  const broken = Promise.allSettled(all);
  await enough;
  await service.stop('SIGKILL');
  await broken;
  return begun;
}

/** The output of a background process, once it has ended. */
async function outputOf(service: Service, { path, body }: NamedRequest): Promise<string> {
  const again = await service.ask(`${path}/processes`, { body });
  expect([again.status, await again.json()]).toMatchObject([201, { id: body.execId }]);
  const ended = await service.ask(`${path}/processes/${body.execId}/wait`);
  expect(await ended.json()).toMatchObject({ state: 'exited', exitCode: 0 });
  return output(await everyLine(await service.ask(`${path}/execs/${body.execId}`)));
}

async function endOf(service: Service, { name, path, body }: NamedRequest): Promise<'complete' | 'lost'> {
  const events: readonly Event[] = await everyLine(await service.ask(`${path}/execs`, { body }));
  const text = bytesOf(events).toString();
  const exit = Object(events.at(-1)?.['exit']);
  if (exit.reason === 'lost') {
    expect(written(name).startsWith(text), `${name}: ${text}`).toBe(true);
    expect(exit).toMatchObject({ exitCode: null, notes: [expect.any(String)] });
    return 'lost';
  }
  expect([name, exit.reason, exit.exitCode, text]).toEqual([name, 'exited', 0, written(name)]);
  return 'complete';
}

describe.each(['local', 'docker'])('a service on %s that is killed', (backend) => {
  it(`under ${count} background and ${count} attached execs loses no background one and runs nothing twice`, async () => {
    await using home = await makeHome(dockerHost());
    let service = await openOn(home, backend);
    const folder = await mkdtemp(join(tmpdir(), 'caisson-killed-'));
    const runs = backend === 'local' ? join(folder, 'runs') : '/workspace/runs';
    const places = Array.from({ length: sandboxes }, (_, index) => `killed-${index}`);
    try {
      for (const taskId of places) expect((await service.ask('/v1/sandboxes', { body: { taskId } })).status).toBe(200);
      const [background, attached] = [asked('background', runs), asked('attached', runs)];
      const begun = await killUnder(service, background, attached);
      service = await start(home, service.token);
      const [outputs, ends] = await Promise.all([
        Promise.all(background.map((each) => outputOf(service, each))),
        Promise.all(attached.map((each) => endOf(service, each))),
      ]);
      const whole = outputs.filter((text, index) => text === written(`background-${index}`)).length;
      const complete = ends.filter((end) => end === 'complete').length;
      const ran = await linesIn(service, backend === 'local' ? places.slice(0, 1) : places, runs);
      const twice = ran.length - new Set(ran).size;
      report({
        backend,
        commands: 2 * count,
        answered: begun,
        backgroundWhole: whole,
        attachedComplete: complete,
        attachedLost: count - complete,
        ran: ran.length,
        twice,
      });
      expect([whole, twice]).toEqual([count, 0]);
      for (const { name } of background) expect(ran).toContain(name);
      for (const [index, end] of ends.entries()) if (end === 'complete') expect(ran).toContain(`attached-${index}`);
      expect(ends).toContain('lost');
    } finally {
      for (const taskId of [...places, 'build']) await service.ask(`/v1/sandboxes/${taskId}`, { method: 'DELETE' });
      await service.stop();
      await rm(folder, { recursive: true });
    }
  }, 600_000);
});

async function linesIn(service: Service, places: readonly string[], file: string): Promise<readonly string[]> {
  const texts = await Promise.all(
    places.map(async (taskId) => {
      const body = { command: ['cat', file] };
      const response = await service.ask(`/v1/sandboxes/${taskId}/execs`, { body, accept: 'application/json' });
      return String(Object(await response.json()).stdout.text);
    }),
  );
  return texts.join('').trim().split('\n');
}
