/**
 * How the client reaches a service: over `fetch` and `WebSocket` anywhere, over a unix socket on Node. The client knows this page
 * alone, so that it runs wherever one of them does.
 */
export interface WireRequest {
  /** HTTP method. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute, with its query: `/v1/sandboxes?limit=10`. */
  readonly path: string;
  /** Header fields by name, beside those that the transport sets. */
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is sent as it is read, and at most once. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Ends the request and closes its connection. */
  readonly signal?: AbortSignal;
}

export interface WireResponse {
  /** HTTP status code. */
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Read once. To leave the loop closes the connection, which ends an answer that is not complete. Throws when it is cut. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** A WebSocket: text is JSON, bytes are bytes. */
export interface WireSocket {
  /** Ends when the other side has closed it in order. Throws when the connection is cut. */
  readonly messages: AsyncIterable<string | Uint8Array>;
  /** Resolves when more may be sent. */
  send(message: string | Uint8Array): Promise<void>;
  /** Idempotent. */
  close(): void;
}

export interface Transport {
  /** Throws `unavailable` when the service cannot be reached, with `details.sent` false when it surely has not seen the request. */
  request(request: WireRequest): Promise<WireResponse>;
  /** Opens a WebSocket on the path. Throws as `request` does. */
  open(path: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<WireSocket>;
  /** Closes connections that no request uses. Idempotent. */
  close(): Promise<void>;
}
