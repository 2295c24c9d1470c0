import { expect, it } from 'vitest';
import { codeCommand } from '../../src/exec/code.ts';
import { collect } from '../../src/exec/collect.ts';
import { startExec } from '../../src/exec/start.ts';
import { bare, newExecId, requestFor } from './requests.ts';
import { spawnedSandbox } from './spawned-sandbox.ts';

it('what runs a program has neither its own text nor the name of the program in its arguments', async () => {
  const execId = newExecId();
  const request = requestFor(codeCommand('bash', execId, ['SECRET']), { execId, stdin: true, env: { SECRET: 'x' } });
  const running = await startExec(spawnedSandbox(), request, bare);
  running.stdin?.end('tr "\\0" " " <"/proc/$PPID/cmdline"; echo; env | grep -E "^(CAISSON_TEXT|SECRET)"; exit 4');
  const { exit, stdout } = await collect(running, { keepBytes: 1000 });
  expect([exit.exitCode, stdout.text]).toEqual([4, 'sh -c eval "$CAISSON_TEXT" caisson-code \n']);
});

it('a program that a signal ends has nothing on its stderr but its own words', async () => {
  const execId = newExecId();
  const request = requestFor(codeCommand('bash', execId), { execId, stdin: true });
  const running = await startExec(spawnedSandbox(), request, bare);
  running.stdin?.end('echo own >&2; kill -9 $$');
  const { exit, stderr } = await collect(running, { keepBytes: 1000 });
  expect([exit.exitCode, stderr.text]).toEqual([137, 'own\n']);
});
