/** `Builds` on CodeBuild. */
import {
  BatchGetBuildsCommand,
  type Build,
  type CodeBuildClient,
  InvalidInputException,
  ListBuildsForProjectCommand,
  ResourceNotFoundException,
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

  /** Looks at the newest hundred builds of each project: one that still runs is among them. */
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
  const waypoint = variables.find((variable) => variable.name === 'KUBELOOM_WAYPOINT');
  return build.buildStatus === 'IN_PROGRESS' && waypoint?.value === waypointPrefix;
}
