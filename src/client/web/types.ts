/** What the client needs of `fetch` and `WebSocket`: as every platform has them, and as a test may give them. */
export interface FetchInput {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  readonly duplex?: 'half';
  readonly redirect: 'error';
}

export interface FetchAnswer {
  readonly status: number;
  readonly headers: { forEach(each: (value: string, name: string) => void): void };
  readonly body: { getReader(): Reader } | null;
}

export interface Reader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
  cancel(reason?: unknown): Promise<void>;
}

export type Fetch = (url: string, input: FetchInput) => Promise<FetchAnswer>;

export interface Socket {
  binaryType: string;
  readonly bufferedAmount: number;
  addEventListener(type: string, listener: (event: object) => void): void;
  send(data: string | Uint8Array): void;
  close(code?: number): void;
}

export type SocketMaker = new (url: string, protocols: readonly string[]) => Socket;
