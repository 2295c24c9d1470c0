/** An answer that is an error: a status of gRPC, and what went wrong in words. */
import { status } from '@grpc/grpc-js';

export class Refusal extends Error {
  readonly code: number;

  constructor(code: keyof typeof status, message: string) {
    super(message);
    this.code = status[code];
  }
}

/** Fields that the real service needs: proto3 sends an absent text as an empty one. */
export function need(value: string, field: string): string {
  if (value !== '') return value;
  throw new Refusal('INVALID_ARGUMENT', `${field} is required`);
}
