/** The CodeBuild JSON API (AWS JSON 1.1): start, stop and describe builds. */
import type { RequestListener } from 'node:http';
import { z } from 'zod';
import type { Logger } from '../logger.ts';
import { AwsFault, awsJsonListener, operation } from '../server/aws-json.ts';
import { describeBuild, parseStartBuild } from './build-shapes.ts';
import type { LocalBuilds } from './builds.ts';

export function codeBuildListener(builds: LocalBuilds, logger: Logger): RequestListener {
  return awsJsonListener(
    'CodeBuild',
    '1.1',
    {
      StartBuild: (input) => ({ build: describeBuild(builds.start(parseStartBuild(input))) }),
      StopBuild: operation(z.object({ id: z.string() }), ({ id }) => {
        const build = builds.stop(id);
        if (!build) throw new AwsFault('ResourceNotFoundException', `there is no build ${id}`);
        return { build: describeBuild(build) };
      }),
      ListBuildsForProject: operation(z.object({ projectName: z.string() }), ({ projectName }) => ({
        ids: builds.newest(projectName),
      })),
      BatchGetBuilds: operation(z.object({ ids: z.array(z.string()).min(1).max(100) }), ({ ids }) => {
        const found = ids.map((id) => builds.get(id));
        return {
          builds: found.filter((build) => build !== undefined).map(describeBuild),
          buildsNotFound: ids.filter((_, place) => !found[place]),
        };
      }),
    },
    logger,
  );
}
