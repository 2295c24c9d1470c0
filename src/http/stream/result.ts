/** A result as it is sent. */
import type { KeptStream, RunResult } from '../../service/api.ts';

// oxlint-disable-next-line no-control-regex -- what a terminal would act on
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

export function resultOf<Result extends RunResult>({ stdout, stderr, ...rest }: Result) {
  return { ...rest, stdout: marked(stdout), stderr: marked(stderr) };
}

const marked = (stream: KeptStream) => ({ ...stream, containsControl: control.test(stream.text) });
