/** Logins to registries of images. */
import { z } from 'zod';
import { checkedText, key } from '../../lib/config-key.ts';
import { registryProblem } from '../../values/image.ts';

const host = z.string().check((context) => {
  const found = registryProblem(context.value);
  if (found !== null) context.issues.push({ code: 'custom', message: found, input: context.value });
});

export const registrySection = z
  .strictObject({
    username: key(
      checkedText((name) => (/^[\u0020-\u007e]{1,256}$/.test(name) ? null : 'a name of up to 256 characters')),
      'a user name',
      'The user name there.',
    ),
    password_env: key(
      z
        .string()
        .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)
        .optional(),
      'the name of a variable',
      'The variable that holds the password or token. It is never passed on.',
    ),
    password_file: key(
      z
        .string()
        .regex(/^\/[^\0]{1,4095}$/)
        .optional(),
      'an absolute path',
      'A file that holds it, which only this user can read.',
    ),
  })
  .check((context) => {
    const { password_env: variable, password_file: file } = context.value;
    if ((variable === undefined) === (file === undefined))
      context.issues.push({ code: 'custom', message: 'expected password_env or password_file', input: context.value });
  });

export const registryLogins = z.record(host, registrySection);
export const registriesKey = registryLogins.describe('Logins to registries of images, by host.');
