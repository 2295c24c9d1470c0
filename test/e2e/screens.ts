/** What a terminal shows of the output of a command, by the emulator of the dashboard, which needs no page for that. */
import { createRequire } from 'node:module';

export type Size = readonly [columns: number, rows: number];
/** Lines without blanks at their ends. */
export type Screen = readonly string[];

interface Emulator {
  readonly rows: number;
  readonly buffer: {
    readonly active: {
      readonly baseY: number;
      getLine(index: number): { translateToString(trimRight: boolean): string } | undefined;
    };
  };
  write(bytes: Uint8Array, done: () => void): void;
  resize(columns: number, rows: number): void;
  dispose(): void;
}

// oxlint-disable-next-line typescript/no-unsafe-assignment -- the package's types declare the globals of a page for all files
const { Terminal }: { readonly Terminal: new (options: object) => Emulator } = createRequire(import.meta.url)(
  '@xterm/xterm',
);

export interface Recorded {
  /** Each character is one byte. */
  readonly output: string;
  /** Lengths of the output at which the screen is wanted. */
  readonly marks: readonly number[];
}

/** `sizes`: what the terminal gets after each mark; absent where it stays. */
export async function screensOf(
  { output, marks }: Recorded,
  [cols, rows]: Size,
  sizes: readonly (Size | undefined)[] = [],
): Promise<readonly Screen[]> {
  const terminal = new Terminal({ cols, rows, allowProposedApi: true });
  const bytes = Buffer.from(output, 'latin1');
  const screens: Screen[] = [];
  for (const [index, mark] of marks.entries()) {
    const part = bytes.subarray(marks[index - 1] ?? 0, mark);
    await new Promise<void>((resolve) => terminal.write(part, resolve));
    screens.push(screenOf(terminal));
    const size = sizes[index];
    if (size !== undefined) terminal.resize(...size);
  }
  terminal.dispose();
  return screens;
}

function screenOf({ rows, buffer: { active } }: Emulator): Screen {
  const lines = Array.from({ length: rows }, (_, line) => active.getLine(active.baseY + line));
  return lines.map((line) => line?.translateToString(true) ?? '');
}
