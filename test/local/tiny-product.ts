/** The smallest thing that can run on the platform: one machine with a build, one that tidies, one route. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { tableSchema } from '#adapters/table-keys.ts';
import { buildEnvironment } from '#local/environment.ts';
import type { Product } from '#local/product.ts';

const task = (Resource: string, more: object): object => ({ Type: 'Task', Resource, TimeoutSeconds: 30, ...more });

/** Machine `main` runs `script` as a build; `tidy` keeps every event that it is started with. */
export async function tinyProduct(
  directory: string,
  script: string,
): Promise<Product & { readonly tidied: unknown[] }> {
  const machinesDirectory = join(directory, 'tiny-machines');
  await mkdir(machinesDirectory, { recursive: true });
  const build = 'arn:aws:states:::codebuild:startBuild.sync';
  const machines = {
    main: { StartAt: 'Run', States: { Run: task(build, { Parameters: { ProjectName: 'tool' }, End: true }) } },
    tidy: { StartAt: 'Keep', States: { Keep: task('${KeepEvent}', { End: true }) } },
  };
  for (const [name, machine] of Object.entries(machines))
    await writeFile(join(machinesDirectory, `${name}.asl.json`), JSON.stringify(machine));
  const tidied: unknown[] = [];
  return {
    tidied,
    machinesDirectory,
    runnerProjects: { terraform: 'tool' },
    statusRules: [{ machine: 'main', statuses: ['FAILED', 'TIMED_OUT', 'ABORTED'], target: 'tidy' }],
    tick: 'count-tick',
    providerTypes: async () => ['sim'],
    tableSchema: async () => tableSchema,
    functions: async () => ({
      'keep-event': (event) => {
        tidied.push(event);
      },
      'count-tick': () => {},
    }),
    routes: async () => [
      {
        method: 'GET',
        path: '/v1/tidied',
        operation: 'tidied',
        handler: async (_: APIGatewayProxyEventV2) => ({ tidied }),
      },
    ],
    projects: async (variables) => [
      {
        name: 'tool',
        run: { kind: 'command', command: ['bash', '-c', script], directory },
        environment: buildEnvironment(variables),
      },
    ],
  };
}
