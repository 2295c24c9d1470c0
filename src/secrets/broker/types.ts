/** Source of the value of a variable, or of the content of a credential file, that is not simply there. */
export type SecretSource =
  /** Standard output of a program, run without a shell; seconds. */
  | {
      readonly exec: readonly [string, ...string[]];
      readonly timeout?: number | undefined;
      readonly cache?: number | undefined;
    }
  /** A file of this host, from `/` or `~/`. */
  | { readonly file: string }
  /** Another variable of the service. */
  | { readonly env: string };
