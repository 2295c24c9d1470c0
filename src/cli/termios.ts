/**
 * What a terminal does to bytes beside Node's raw mode, which sets ONLCR, so that each line feed of a command becomes CR LF, and keeps
 * the translations of typed bytes. Node has no call for the rest of termios(3), and stty(1) is on every system that has terminals.
 */

/** cfmakeraw(3) without what Node's raw mode has done already. */
const raw = ['-opost', '-ignbrk', '-parmrk', '-inlcr', '-igncr', '-echonl'];
/** A terminal whose output is stopped takes no settings. */
const timeoutMs = 2000;
const [input, output] = [0, 1];

/**
 * Has the terminal of standard input change no byte, beside Node's raw mode, whose end takes this back. Waits for stty: one that is still on its
 * way when this process ends would change the terminal after it was given back. `null`: done; otherwise why not.
 */
export function stopChangingBytes(): string | null {
  return stty(input, raw).problem;
}

/** Has the terminal of standard output show bytes as they are. The returned function puts its settings back. */
export function stopChangingOutput(): () => void {
  const before = stty(output, ['-g']);
  if (before.problem !== null || stty(output, ['-opost']).problem !== null) return () => undefined;
  return () => void stty(output, [before.said]);
}

interface Answer {
  readonly said: string;
  readonly problem: string | null;
}

function stty(terminal: number, words: readonly string[]): Answer {
  // Loaded here, since few commands need it.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { error, status, stdout, stderr } = spawnSync('stty', words, {
    stdio: [terminal, 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    encoding: 'utf8',
  });
  if (error !== undefined) return { said: '', problem: `stty does not run (${error.message})` };
  return { said: stdout.trim(), problem: status === 0 ? null : `stty failed: ${stderr.trim().slice(0, 200)}` };
}
