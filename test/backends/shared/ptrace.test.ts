import { expect, it } from 'vitest';
import { ptraceFindings } from '../../../backends/shared/ptrace.ts';

it.each([
  ['no Yama', null, ['ptrace-scope']],
  ['Yama that restricts nothing', '0', ['ptrace-scope']],
  ['Yama that lets parents alone trace', '1', []],
  ['Yama that forbids tracing', '3', []],
])('doctor recommends kernel.yama.ptrace_scope=1 for a kernel with %s', (_, scope, ids) => {
  const findings = ptraceFindings(scope);
  expect(findings.map(({ id }) => id)).toEqual(ids);
  for (const { remedy } of findings) expect(remedy).toContain('kernel.yama.ptrace_scope=1');
});
