/** kubectl against one cluster: commands that throw failures as `StageFailure`. */
import { dirname } from 'node:path';
import { z } from 'zod';
import { BootId, observedLine } from '#domain/observed/closed-texts.ts';
import {
  ConditionStatus,
  KubernetesName,
  KubernetesRelease,
  KubernetesTime,
  ObservedAnnotations,
  ObservedConditionType,
  ObservedLabels,
  ObservedLabelValue,
  QualifiedName,
  ResourceVersion,
} from '#domain/observed/kubernetes-texts.ts';
import type { LiveNode } from '#rendering/node-patch.ts';
import { type Command, type CommandResult, complaintsOnly } from '../process.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { readToolJson } from '../tool-answer.ts';
import { kubectlError } from './kubectl-failure.ts';

const Condition = z.object({
  type: ObservedConditionType,
  status: ConditionStatus,
  lastTransitionTime: KubernetesTime.optional(),
});

/** What the API server takes from a kubelet as it is, and that has another form, counts as not reported: one node that lies hides no other. */
export const ListedNode = z.object({
  metadata: z.object({
    name: KubernetesName,
    resourceVersion: ResourceVersion.default(''),
    labels: ObservedLabels.default({}),
    annotations: ObservedAnnotations.default({}),
    creationTimestamp: KubernetesTime.optional(),
    deletionTimestamp: KubernetesTime.optional(),
  }),
  spec: z
    .object({
      providerID: observedLine(1000).default(''),
      taints: z
        .array(
          z.object({
            key: QualifiedName,
            value: ObservedLabelValue.optional(),
            effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
            timeAdded: KubernetesTime.optional(),
          }),
        )
        .default([]),
    })
    .prefault({}),
  status: z
    .object({
      conditions: z.array(Condition.optional().catch(undefined)).default([]),
      nodeInfo: z
        .object({
          kubeletVersion: KubernetesRelease.or(z.literal('')).default('').catch(''),
          bootID: BootId.or(z.literal('')).default('').catch(''),
        })
        .prefault({}),
    })
    .prefault({}),
});

const KubernetesNodes = z.object({ items: z.array(ListedNode) });

/** A node of the cluster, and whether its kubelet is alive. */
export interface ClusterNode extends LiveNode {
  /** `True`, `False` or `Unknown`, as Kubernetes reports it. */
  readonly ready: string;
  /** ISO 8601: since when it is so. */
  readonly readySince?: string | undefined;
  /** ISO 8601: when it joined. */
  readonly createdAt?: string | undefined;
  /** `v1.36.0`; empty when it is not reported. */
  readonly kubeletVersion?: string;
  /** Id of the machine that its kubelet last ran on. */
  readonly bootId: string;
  /** Kubernetes was asked to delete it. @default false */
  readonly deleting?: boolean;
}

export class Kubectl {
  readonly #context: Pick<StageContext, 'run' | 'runner'>;
  readonly #kubeconfig: string;

  constructor(context: Pick<StageContext, 'run' | 'runner'>, kubeconfig: string) {
    this.#context = context;
    this.#kubeconfig = kubeconfig;
  }

  /** Nodes by name. */
  async nodes(): Promise<ReadonlyMap<string, ClusterNode>> {
    const { stdout } = await this.run(['get', 'nodes', '-o', 'json', '--request-timeout=30s'], {
      onLine: complaintsOnly,
    });
    const { items } = readToolJson(KubernetesNodes, stdout, { tool: 'kubectl', what: 'its list of nodes' });
    return new Map(
      items.map(({ metadata, spec, status }) => {
        const ready = status.conditions.find((condition) => condition?.type === 'Ready');
        const node = {
          name: metadata.name,
          resourceVersion: metadata.resourceVersion,
          labels: metadata.labels,
          annotations: metadata.annotations,
          taints: spec.taints,
          providerId: spec.providerID,
          ready: ready?.status ?? 'Unknown',
          readySince: ready?.lastTransitionTime,
          createdAt: metadata.creationTimestamp,
          kubeletVersion: status.nodeInfo.kubeletVersion,
          bootId: status.nodeInfo.bootID,
          ...(metadata.deletionTimestamp !== undefined && { deleting: true }),
        };
        return [metadata.name, node];
      }),
    );
  }

  /** Runs it; throws `StageFailure` unless it ends with 0. `about`: the node it is about. */
  async run(args: readonly string[], options: Partial<Command> & { about?: string } = {}): Promise<CommandResult> {
    const result = await this.try(args, options);
    if (result.code === 0) return result;
    throw this.failure(args[0] ?? '', result, options.about);
  }

  /** What a command that failed throws. */
  failure(command: string, { stderr, stdout }: CommandResult, about: string | undefined): StageFailure {
    return new StageFailure(kubectlError(command, stderr || stdout, about));
  }

  /** Runs it, whatever its exit code. */
  try(args: readonly string[], options: Partial<Command> = {}): Promise<CommandResult> {
    const { cwd, environment, input, onLine, quietMs, totalMs } = options;
    return this.#context.run({
      label: `kubectl ${args[0]}`,
      tool: 'kubectl',
      program: this.#context.runner.kubectl,
      args: [`--kubeconfig=${this.#kubeconfig}`, ...args],
      ...(cwd === undefined ? {} : { cwd }),
      // No configuration of the user that runs it, and none of an earlier job.
      environment: { HOME: dirname(this.#kubeconfig), KUBERC: 'off', ...environment },
      ...(input === undefined ? {} : { input }),
      ...(onLine === undefined ? {} : { onLine }),
      ...(quietMs === undefined ? {} : { quietMs }),
      totalMs: totalMs ?? 5 * 60_000,
      graceMs: 5000,
    });
  }
}
