/** A container of the engine of the run, and `docker exec` into it. */
import { dockerHost } from '../../engines/docker.ts';
import { importToolsImage, toolsImage } from '../../engines/tools-image.ts';
import type { Damage } from '../defects/defect.ts';
import type { OraclePlace, PlaceSource } from '../place.ts';
import { openOurs } from './opened.ts';
import { placeOf } from './put-together.ts';

const host = dockerHost();

export const docker: PlaceSource = {
  name: 'docker',
  unavailable: host === null ? 'no engine runs here' : null,
  open: async (damage) => await open(host ?? '', damage),
};

async function open(engine: string, damage?: Damage): Promise<OraclePlace> {
  await importToolsImage(engine);
  const terminal = `backend: docker, docker_image: ${toolsImage.reference}, container_cpu: 2`;
  const opened = await openOurs({ terminal, env: { DOCKER_HOST: engine } }, damage);
  const container = opened.resource ?? '';
  const bash: OraclePlace['bash'] = (text, { directory, stdin, tty }) => {
    const streams = [...(stdin === null && !tty ? [] : ['-i']), ...(tty ? ['-t'] : [])];
    return {
      argv: ['docker', '-H', engine, 'exec', ...streams, '-w', directory, container, 'bash', '-c', text],
      stdin,
      tty,
    };
  };
  const end = async (): Promise<void> => await opened[Symbol.asyncDispose]();
  return await placeOf({ name: 'docker', root: '/tmp/oracle', bash, hasTerminals: true }, { run: opened.run, end });
}
