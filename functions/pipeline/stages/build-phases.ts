/** What CodeBuild says of a build: in which phase it broke, and how long each phase took. */
import { z } from 'zod';
import { BuildPhase } from '#contracts/state-inputs.ts';
import { parseJson } from '#domain/json.ts';

/** `Cause` is the build as JSON when it ran at all; it is the only source about a phase before the commands, such as the pull of the image. */
const FailedBuild = z.object({
  Build: z.object({ BuildStatus: z.string(), Phases: z.array(BuildPhase).nullish() }),
});

/** The build in the Cause of a failed state; undefined when the Cause has no build, or was truncated. */
export function buildIn(cause: string): z.infer<typeof FailedBuild>['Build'] | undefined {
  return FailedBuild.safeParse(parseJson(cause)).data?.Build;
}

type Ended = { readonly Phases?: readonly BuildPhase[] | undefined } | { readonly Cause: string };

/** Seconds by phase: `{ queued: 1, provisioning: 9, build: 41 }`. Undefined when nothing is known. */
export function phaseSeconds(build: Ended): Readonly<Record<string, number>> | undefined {
  const phases = 'Cause' in build ? buildIn(build.Cause)?.Phases : build.Phases;
  const timed = (phases ?? []).flatMap(({ PhaseType, DurationInSeconds }) =>
    typeof DurationInSeconds === 'number' ? [[PhaseType.toLowerCase(), DurationInSeconds] as const] : [],
  );
  return timed.length > 0 ? Object.fromEntries(timed) : undefined;
}
