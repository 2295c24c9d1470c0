/** An answer that is an error: a status of gRPC, and what went wrong in words. */
import { Metadata, status } from '@grpc/grpc-js';

export type StatusName = keyof typeof status;

export class Refusal extends Error {
  readonly code: number;
  readonly metadata: Metadata;

  constructor(code: StatusName, message: string, metadata: Metadata = new Metadata()) {
    super(message);
    this.code = status[code];
    this.metadata = metadata;
  }
}

/** Fields that the real service needs: proto3 sends an absent text as an empty one. */
export function need(value: string, field: string): string {
  if (value !== '') return value;
  throw new Refusal('INVALID_ARGUMENT', `${field} is required`);
}
