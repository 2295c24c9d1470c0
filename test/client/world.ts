/** A service on the local backend with a client that is connected to it. */
import { connectCaisson, type CaissonClient, type ConnectInput } from '../../src/client/index.ts';
import { openWorld, type World } from '../http/world.ts';

export interface ClientWorld extends AsyncDisposable {
  readonly world: World;
  readonly client: CaissonClient;
  /** Another one, with other options; it is closed with the world. */
  readonly connect: (more?: Partial<ConnectInput>) => CaissonClient;
}

export async function openClientWorld(how: Parameters<typeof openWorld>[0] = {}): Promise<ClientWorld> {
  const world = await openWorld(how);
  const clients: CaissonClient[] = [];
  const connect: ClientWorld['connect'] = (more) => {
    const client = connectCaisson({ url: world.url, token: world.agent, ...more });
    clients.push(client);
    return client;
  };
  return {
    world,
    connect,
    client: connect(),
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) await client.close();
      await world[Symbol.asyncDispose]();
    },
  };
}

export async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of stream) text += decoder.decode(part, { stream: true });
  return text;
}
