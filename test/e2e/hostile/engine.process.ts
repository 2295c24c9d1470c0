/**
 * A small command by the engine alone, in the sandbox of the owner who is measured. The service cannot be faster than that,
 * whatever the attacker does to the processors of the host.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../engines/engine-api.ts';
import type { EngineOrder } from './orders.ts';

const everyMs = 400;

async function measure({ host, container, forMs }: EngineOrder): Promise<readonly number[]> {
  const sandbox = connect(host).getContainer(container);
  const times: number[] = [];
  for (const endsAt = performance.now() + forMs; performance.now() < endsAt; await sleep(everyMs)) {
    const started = performance.now();
    const exec = await sandbox.exec({ Cmd: ['echo', 'steady'], AttachStdout: true });
    const stream = await exec.start({});
    stream.resume();
    await once(stream, 'end');
    times.push(performance.now() - started);
  }
  return times;
}

process.once('message', (message) => {
  void measure(message as EngineOrder).then((times) => process.send?.(times));
});
