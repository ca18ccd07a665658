/** `Builds` on CodeBuild. */
import { createHash } from 'node:crypto';
import {
  BatchGetBuildsCommand,
  type Build,
  CodeBuildClient,
  type CodeBuildClientConfig,
  InvalidInputException,
  ListBuildsForProjectCommand,
  ResourceNotFoundException,
  StartBuildCommand,
  StopBuildCommand,
} from '@aws-sdk/client-codebuild';
import type { Builds } from '../ports.ts';

export class CodeBuildBuilds implements Builds {
  readonly #client: CodeBuildClient;
  readonly #projects: readonly string[];

  constructor(client: CodeBuildClient, projects: readonly string[]) {
    this.#client = client;
    this.#projects = [...new Set(projects)];
  }

  /** With a client of its own: a bundle has as much of the SDK as this file names. */
  static of(options: CodeBuildClientConfig, projects: readonly string[]): CodeBuildBuilds {
    return new CodeBuildBuilds(new CodeBuildClient(options), projects);
  }

  async start(projectName: string, variables: Readonly<Record<string, string>>): Promise<string> {
    const pairs = Object.entries(variables).sort(([one], [other]) => (one < other ? -1 : 1));
    const { build } = await this.#client.send(
      new StartBuildCommand({
        projectName,
        environmentVariablesOverride: pairs.map(([name, value]) => ({ name, value, type: 'PLAINTEXT' })),
        idempotencyToken: createHash('sha256')
          .update(JSON.stringify([projectName, pairs]))
          .digest('hex'),
      }),
    );
    if (!build?.id) throw new Error(`CodeBuild gave no id to a build of ${projectName}`);
    return build.id;
  }

  async status(buildId: string): Promise<'running' | 'ended' | undefined> {
    const { builds = [] } = await this.#client.send(new BatchGetBuildsCommand({ ids: [buildId] }));
    const [build] = builds;
    if (build === undefined) return undefined;
    return build.buildStatus === 'IN_PROGRESS' ? 'running' : 'ended';
  }

  /** Reads the newest hundred builds of each project: one that still runs is among them. */
  async running(waypointPrefix: string): Promise<readonly string[]> {
    const found = await Promise.all(this.#projects.map((project) => this.#newest(project)));
    return found.flat().flatMap((build) => (belongsTo(build, waypointPrefix) && build.id ? [build.id] : []));
  }

  async stop(buildId: string): Promise<void> {
    try {
      await this.#client.send(new StopBuildCommand({ id: buildId }));
    } catch (error) {
      const gone = error instanceof ResourceNotFoundException || error instanceof InvalidInputException;
      if (!gone) throw error;
    }
  }

  async #newest(projectName: string): Promise<readonly Build[]> {
    const { ids = [] } = await this.#client.send(new ListBuildsForProjectCommand({ projectName }));
    if (ids.length === 0) return [];
    return (await this.#client.send(new BatchGetBuildsCommand({ ids: ids.slice(0, 100) }))).builds ?? [];
  }
}

function belongsTo(build: Build, waypointPrefix: string): boolean {
  const variables = build.environment?.environmentVariables ?? [];
  const named = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  const { KUBELOOM_JOB: job, KUBELOOM_WAYPOINT: older } = named;
  return build.buildStatus === 'IN_PROGRESS' && (job?.startsWith(`${waypointPrefix}/`) || older === waypointPrefix);
}
