/** A name can carry a secret out, and the record of connections is read by people and programs. */
import type { ConnectionRecord } from './door/types.ts';
import { Redaction } from '../redact/redactor.ts';

/** The proxy knows no values: those that the service knows are masked where the record is read. */
const formsOnly = new Redaction();

export function withoutSecrets(record: ConnectionRecord): ConnectionRecord {
  const { name, rule, reason } = record;
  const masked = { rule: formsOnly.text(rule), reason: formsOnly.text(reason) };
  return { ...record, ...masked, name: name === null ? null : formsOnly.text(name) };
}
