/** Something the operator should know about the state directory. Not an error: the store works. */
export interface Notice {
  readonly id: 'quarantined' | 'migrated' | 'permissions-tightened' | 'instance-restored' | 'instance-differs';
  readonly message: string;
  /** The file it is about. */
  readonly path: string;
}
