/** Secrets that the configuration gives to one owner of the service, and to no one else. */
import { CaissonError } from '../errors.ts';

export interface Granted {
  /** Sources of variables, by the name that commands see. */
  readonly variables?: Readonly<Record<string, { readonly from_env: string }>> | undefined;
  /** Paths of this host, by the path below the directory of credential files inside. */
  readonly files?: Readonly<Record<string, string>> | undefined;
}

interface Where {
  /** Environment of the service. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of variables that hold keys of Caisson itself. */
  readonly ownKeys: readonly string[];
}

export interface OwnedVariables {
  readonly env: Readonly<Record<string, string>>;
  /** Names whose variable is not set here. */
  readonly unset: readonly string[];
}

/** What the configuration names them after stays the operator's: an error has the name that commands see. */
export function ownedVariables({ variables = {} }: Granted, { env, ownKeys }: Where): OwnedVariables {
  const values = Object.entries(variables).map(([name, { from_env: source }]) => {
    if (ownKeys.includes(source)) throw ownKeyError(name);
    return [name, (Object.hasOwn(env, source) ? env[source] : undefined) ?? null] as const;
  });
  const isSet = (pair: readonly [string, string | null]): pair is readonly [string, string] => pair[1] !== null;
  return {
    env: Object.fromEntries(values.filter(isSet)),
    unset: values.filter((pair) => !isSet(pair)).map(([name]) => name),
  };
}

/** Variables of the service that are an owner's: they are passed on to no one else. */
export function ownedSources(
  owners: Readonly<Record<string, { readonly secrets?: Granted | undefined }>>,
): readonly string[] {
  return Object.values(owners).flatMap(({ secrets }) =>
    Object.values(secrets?.variables ?? {}).map(({ from_env: source }) => source),
  );
}

function ownKeyError(name: string): CaissonError {
  return new CaissonError('permission_denied', `the variable ${name} would hold a key of Caisson itself`, {
    remedy: 'the operator takes it out of the secrets of this owner',
    details: { variable: name },
  });
}
