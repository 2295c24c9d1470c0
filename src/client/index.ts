/** `caisson/client`: the API of a service that runs elsewhere, on Node, Bun, Deno and in browsers. */
export { connectCaisson, type ConnectInput } from './connect.ts';
export { CaissonError, isCode, type Code as ErrorCode } from '../errors.ts';
export type * from './types.ts';
export type { Transport, WireRequest, WireResponse, WireSocket } from './transport.ts';
