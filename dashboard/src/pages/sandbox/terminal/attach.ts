/** A shell of the sandbox on a terminal of the page. The id of its exec finds it again: nothing is started twice. */
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import type { CaissonClient } from 'caisson/client';
import { problemText } from '../../../live/loaded.ts';
import { exitText } from '../execs/output.ts';

const resizeMs = 100;

export interface Place {
  readonly task: string;
  readonly execId: string;
  readonly label: string;
  readonly place: HTMLElement;
  readonly onEnd: (text: string) => void;
}

/** `client`: closed with it. Answers what leaves the shell, which goes on. */
export function attach(client: CaissonClient, { task, execId, label, place, onEnd }: Place): () => void {
  const terminal = new Terminal({ scrollback: 10_000, fontSize: 14, screenReaderMode: false, cursorBlink: false });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  quieten(terminal);
  terminal.open(place);
  terminal.textarea?.setAttribute('aria-label', `Terminal ${label} of ${task}`);
  fit.fit();
  terminal.focus();
  const leaving = new AbortController();
  const { signal } = leaving;
  void run(client, { task, execId, terminal, fit, place, signal }).then(
    (end) => signal.aborted || onEnd(end),
    (error: unknown) => signal.aborted || onEnd(problemText(error)),
  );
  return () => {
    leaving.abort();
    void client.close();
    terminal.dispose();
  };
}

/** What a program writes sets no title and no clipboard (OSC 0, 1, 2 and 52), and opens no link. Ctrl+Shift+E leaves. */
function quieten(terminal: Terminal): void {
  for (const code of [0, 1, 2, 8, 52]) terminal.parser.registerOscHandler(code, () => true);
  terminal.attachCustomKeyEventHandler((event) => {
    if (!(event.ctrlKey && event.shiftKey && event.code === 'KeyE')) return true;
    terminal.blur();
    document.getElementById('main')?.focus();
    return false;
  });
}

interface Parts extends Pick<Place, 'task' | 'execId' | 'place'> {
  readonly terminal: Terminal;
  readonly fit: FitAddon;
  readonly signal: AbortSignal;
}

async function run(client: CaissonClient, { task, execId, terminal, fit, place, signal }: Parts): Promise<string> {
  const { cols: columns, rows } = terminal;
  // The signal stays out: it would end the shell with the page.
  const onAsked = (): void =>
    terminal.writeln('A person must allow this shell first, since what it reads is not judged.');
  const starting = client.exec(
    {
      taskId: task,
      existing: true,
      execId,
      command: ['sh'],
      stdin: true,
      tty: { columns, rows },
      timeoutMs: null,
    },
    { question: { waits: true, onAsked } },
  );
  passInput(terminal, starting);
  const running = await starting;
  const { stdout, exit } = running;
  running.ignore('stderr');
  void running.resize?.(columns, rows).catch(() => undefined);
  watchSize({ terminal, fit, place, signal }, (size) => void running.resize?.(...size).catch(() => undefined));
  for await (const bytes of stdout) {
    if (signal.aborted) return '';
    // What is not drawn yet holds back what comes.
    await new Promise<void>((resolve) => terminal.write(bytes, resolve));
  }
  return exitText(await exit);
}

/** What is typed before the shell is there waits for it. */
function passInput(terminal: Terminal, starting: ReturnType<CaissonClient['exec']>): void {
  const send = (bytes: Uint8Array | string): void =>
    void starting.then(({ stdin }) => stdin?.write(bytes)).catch(() => undefined);
  terminal.onData(send);
  terminal.onBinary((text) => send(Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0)));
}

function watchSize(
  { terminal, fit, place, signal }: Pick<Parts, 'terminal' | 'fit' | 'place' | 'signal'>,
  onSize: (size: [columns: number, rows: number]) => void,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const observer = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(() => fit.fit(), resizeMs);
  });
  terminal.onResize(({ cols, rows }) => onSize([cols, rows]));
  observer.observe(place);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    observer.disconnect();
  });
}
