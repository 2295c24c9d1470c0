/** The few calls to an engine that setting one up needs. */
import Docker from 'dockerode';
import { request } from 'node:http';

export function isAnswering(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path: '/_ping', timeout: 5000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.on('error', () => resolve(false));
    asked.on('timeout', () => asked.destroy());
    asked.end();
  });
}

/** Connects to an address of the docker command line: unix:///path, tcp://host:port, http(s)://host:port. */
export function connect(host: string): Docker {
  const url = new URL(host);
  if (url.protocol === 'unix:') return new Docker({ socketPath: url.pathname });
  const protocol = url.protocol === 'https:' ? 'https' : 'http';
  return new Docker({ protocol, host: url.hostname, port: url.port || '2375' });
}

/** Empties a private engine, where everything is ours. Gives the names of what was there; networks and volumes go too. */
export async function removeContainers(socketPath: string): Promise<readonly string[]> {
  const docker = new Docker({ socketPath });
  const containers = await docker.listContainers({ all: true });
  await Promise.all(containers.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })));
  await docker.pruneNetworks();
  await docker.pruneVolumes();
  return containers.map(({ Names, Id }) => Names[0]?.slice(1) ?? Id);
}
