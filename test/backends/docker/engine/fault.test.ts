import { expect, test } from 'vitest';
import { statusOf, toEngineError } from '../../../../backends/docker/engine/fault.ts';

const faultOf = (cause: string) =>
  toEngineError(
    { statusCode: 500, json: { cause, message: `container create: ${cause}`, response: 500 } },
    { what: 'create the sandbox', endpoint: '/run/podman/podman.sock' },
  );

test.each(['that name is already in use', 'container state improper'])(
  'a 500 of Podman whose cause is "%s" is reported as the 409 that Docker answers',
  (cause) => {
    expect(faultOf(cause)).toMatchObject({ code: 'failed_precondition', message: expect.stringContaining(cause) });
    expect(statusOf(faultOf(cause))).toBe(500);
  },
);

test('any other 500 is an engine that cannot be used now, as one whose connection breaks says so too (R11)', () => {
  const remedy = expect.stringContaining('the log of the engine');
  expect(faultOf('no space left')).toMatchObject({ code: 'unavailable', remedy });
  expect(statusOf(faultOf('no space left'))).toBe(500);
});
