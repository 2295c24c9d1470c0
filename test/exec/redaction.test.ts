import { describe, expect, it } from 'vitest';
import { collect } from '../../src/exec/collect.ts';
import type { ExecContext } from '../../src/exec/context.ts';
import { startExec } from '../../src/exec/start.ts';
import type { ExecRequest, Execution } from '../../src/exec/types.ts';
import { Redactions } from '../../src/secrets/redactions.ts';
import { requestFor, where } from './requests.ts';
import { gone, MemoryRecorder } from './running.ts';
import { ScriptedProcess, scriptedSandbox } from './scripted.ts';

const secret = 'a-value-to-hide';

async function started(
  changes: Partial<ExecRequest> = {},
  enabled = true,
  context: Pick<ExecContext, 'rawOutput'> = {},
): Promise<{ readonly process: ScriptedProcess; readonly execution: Execution; readonly recorder: MemoryRecorder }> {
  const process = new ScriptedProcess();
  const recorder = new MemoryRecorder();
  const redactions = new Redactions({ enabled });
  redactions.declareVariables({ MY_TOKEN: secret }, []);
  const redaction = redactions.current();
  const sandbox = scriptedSandbox(process, gone);
  const pty = { exec: () => Promise.resolve(Object.assign(process, { resize: () => Promise.resolve() })) };
  const request = requestFor(['true'], changes);
  const execution = await startExec({ ...sandbox, pty }, request, { where, recorder, redaction, ...context });
  return { process, execution, recorder };
}

async function say(process: ScriptedProcess, ...chunks: readonly string[]): Promise<void> {
  for (const chunk of chunks) {
    process.stdout.write(chunk);
    await new Promise(setImmediate); // each is a chunk of its own
  }
  process.exit();
  process.endStreams();
}

describe('redaction of an exec', () => {
  it('takes a declared value out of result and record, also when it comes in pieces, and counts it (EN-10, EN-11)', async () => {
    const { process, execution, recorder } = await started();
    process.stderr.write(`and ${secret}`);
    const [{ exit, stdout, stderr }] = await Promise.all([
      collect(execution, { keepBytes: 1000 }),
      say(process, `<${secret.slice(0, 5)}`, secret.slice(5), '>\n', `DB_PASSWORD=${secret}x`),
    ]);
    expect(stdout.text).toBe('<[REDACTED:MY_TOKEN]>\nDB_PASSWORD=[REDACTED:MY_TOKEN]x');
    expect(stderr.text).toBe('and [REDACTED:MY_TOKEN]');
    expect(recorder.kept.join('')).not.toContain(secret);
    expect(exit.redactions).toBe(3);
    expect(exit.stdout.bytes).toBe(secret.length * 2 + 16);
  });

  it('gives a prompt at once and what it held at the end', async () => {
    const { process, execution } = await started();
    const out: string[] = [];
    execution.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()));
    execution.ignore('stderr');
    process.stdout.write('Password: ');
    await expect.poll(() => out.join('')).toBe('Password: ');
    await say(process, secret.slice(0, 10));
    await execution.exit;
    expect(out.join('')).toBe('Password: [REDACTED:password]');
  });

  it('leaves the screen of a terminal to its person, and redacts the record', async () => {
    const { process, execution, recorder } = await started({ tty: { columns: 80, rows: 24 } });
    const [{ stdout }] = await Promise.all([collect(execution, { keepBytes: 1000 }), say(process, `${secret}\n`)]);
    expect(stdout.text).toBe(`${secret}\n`);
    expect(recorder.kept.join('')).toContain('[REDACTED:MY_TOKEN]');
    expect(recorder.kept.join('')).not.toContain(secret);
  });

  it('records the whole of a prompt once its terminal is silent, and no secret that comes in one piece', async () => {
    const { process, execution, recorder } = await started({ tty: { columns: 80, rows: 24 } });
    const kept = (): string => recorder.kept.map((each) => each.replace(/^stdout /, '')).join('');
    execution.ignore();
    // Both ends may begin a secret: the declared value, and a token of GitHub.
    process.stdout.write('Name: a');
    await expect.poll(kept).toContain('Name: a');
    process.stdout.write('\r\ngh');
    await expect.poll(kept).toContain('Name: a\r\ngh');
    process.stdout.write(`\r\n${secret}`);
    await expect.poll(kept).toContain('\r\n[REDACTED:MY_TOKEN]');
    process.stdout.write('\r\nAPI_KEY=');
    await expect.poll(kept).toContain('API_KEY=');
    await new Promise((resolve) => setTimeout(resolve, 100));
    await say(process, 'q8Zt-4kLm-91xy', '\r\n');
    await execution.exit;
    expect(kept()).toMatch(/Name: a\r\ngh\r\n\[REDACTED:MY_TOKEN\]\r\nAPI_KEY=\[REDACTED:[a-z-]+\]\r\n.*$/);
  });

  it('leaves output to a program that may see it, and redacts the record', async () => {
    const { process, execution, recorder } = await started({}, true, { rawOutput: true });
    const [{ exit, stdout }] = await Promise.all([
      collect(execution, { keepBytes: 1000 }),
      say(process, `${secret}\n`),
    ]);
    expect([stdout.text, exit.redactions]).toEqual([`${secret}\n`, 1]);
    expect(recorder.kept.join('')).toContain('[REDACTED:MY_TOKEN]');
    expect(recorder.kept.join('')).not.toContain(secret);
  });

  it('does nothing where it is off, and says so', async () => {
    const { process, execution } = await started({}, false);
    const [{ exit, stdout }] = await Promise.all([collect(execution, { keepBytes: 1000 }), say(process, secret)]);
    expect([stdout.text, exit.redactions]).toEqual([secret, null]);
  });
});

describe('declared values', () => {
  it('stay known to later commands of the service', () => {
    const redactions = new Redactions({ enabled: true });
    redactions.declareVariables({ MY_TOKEN: secret }, []);
    expect(redactions.current()?.text(secret)).toBe('[REDACTED:MY_TOKEN]');
  });

  it('are what is forwarded or named as a secret, and no switches or places', () => {
    const redactions = new Redactions({ enabled: true });
    const env = { MODE: 'a-long-enough-mode', PLACE: 'somewhere-on-earth', CI: 'true', LANG: 'en_US.UTF-8' };
    const text = 'a-long-enough-mode somewhere-on-earth\ntrue\nen_US.UTF-8';
    redactions.declareVariables(env, ['PLACE', 'CI', 'LANG']);
    expect(redactions.current()?.text(text)).toBe('a-long-enough-mode [REDACTED:PLACE]\ntrue\nen_US.UTF-8');
  });

  it('are bounded in number; the newest count', () => {
    const redactions = new Redactions({ enabled: true });
    for (let at = 0; at < 100; at += 1) redactions.declareVariables({ MY_TOKEN: `value-number-${at}-x` }, []);
    const text = redactions.current()?.text('value-number-0-x value-number-99-x');
    expect(text).toBe('value-number-0-x [REDACTED:MY_TOKEN]');
  });
});
