/** Builds in the shapes of the CodeBuild API, and of Step Functions, which writes the same with capital letters. */
import { z } from 'zod';
import { buildArn } from '../names.ts';
import { AwsFault } from '../server/aws-json.ts';
import type { Build } from './build-store.ts';

export const StartBuildInput = z.object({
  projectName: z.string(),
  environmentVariablesOverride: z
    .array(z.object({ name: z.string(), value: z.string(), type: z.literal('PLAINTEXT').default('PLAINTEXT') }))
    .default([]),
  imageOverride: z.string().min(1).optional(),
  timeoutInMinutesOverride: z.number().min(0).max(2160).optional(),
  queuedTimeoutInMinutesOverride: z.number().min(0).max(480).optional(),
  idempotencyToken: z.string().optional(),
});
export type StartBuildInput = z.infer<typeof StartBuildInput>;

/** Throws `InvalidInputException`. */
export function parseStartBuild(input: unknown): StartBuildInput {
  const parsed = StartBuildInput.safeParse(input);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new AwsFault('InvalidInputException', faults.join('; '));
}

/** A build as BatchGetBuilds shows it; dates are epoch seconds. */
export function describeBuild(build: Build): Readonly<Record<string, unknown>> {
  const complete = build.status !== 'IN_PROGRESS';
  return {
    id: build.id,
    arn: buildArn(build.id),
    buildNumber: build.number,
    projectName: build.project,
    buildStatus: build.status,
    buildComplete: complete,
    currentPhase: complete ? 'COMPLETED' : build.startedAt === null ? 'QUEUED' : 'BUILD',
    startTime: build.queuedAt / 1000,
    ...(build.endedAt !== null && { endTime: build.endedAt / 1000 }),
    timeoutInMinutes: build.timeoutMinutes,
    initiator: 'local',
    phases: phasesOf(build),
    logs: { groupName: `/aws/codebuild/${build.project}`, streamName: build.id, deepLink: `file://${build.logFile}` },
    environment: {
      type: 'LINUX_CONTAINER',
      computeType: 'LOCAL',
      image: build.image,
      environmentVariables: Object.entries(build.environment).map(([name, value]) => ({
        name,
        value,
        type: 'PLAINTEXT',
      })),
    },
  };
}

function phasesOf(build: Build): readonly object[] {
  const phase = (phaseType: string, from: number, to: number | null, phaseStatus: string): object => ({
    phaseType,
    startTime: from / 1000,
    ...(to !== null && { endTime: to / 1000, durationInSeconds: Math.round((to - from) / 1000), phaseStatus }),
    ...(to !== null && build.reason && phaseStatus !== 'SUCCEEDED' && { contexts: [{ message: build.reason }] }),
  });
  const left = build.startedAt ?? build.endedAt;
  const phases = [phase('QUEUED', build.queuedAt, left, build.startedAt === null ? build.status : 'SUCCEEDED')];
  if (build.startedAt !== null) phases.push(phase('BUILD', build.startedAt, build.endedAt, build.status));
  if (build.endedAt !== null) phases.push({ phaseType: 'COMPLETED', startTime: build.endedAt / 1000 });
  return phases;
}

export const pascalCase = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
export const camelCase = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

/** The same value with every key renamed. */
export function withKeys(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => withKeys(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [rename(name), withKeys(inner, rename)]));
}
