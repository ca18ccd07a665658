/** The operator between Kubernetes and Kubeloom in memory, around one object. */
import type { ApiClient } from '#client/api-client.ts';
import { Operator } from '#operator/operator.ts';
import { FakeKubeloom } from './fake-kubeloom.ts';
import { FakeKubernetes } from './fake-kubernetes.ts';

export const path = '/apis/kubeloom.dev/v1/namespaces/team/inputmanifests/shop';
export const secretPath = '/api/v1/namespaces/team/secrets/cloud';
export const spec = (namespace = 'team') => ({ providers: [{ name: 'a', secretRef: { name: 'cloud', namespace } }] });

export class FakeWorld {
  readonly kubernetes = new FakeKubernetes();
  readonly kubeloom = new FakeKubeloom();
  readonly log: string[] = [];
  now = Date.parse('2026-01-01T00:00:00Z');

  operator({ ownNamespaceOnly = false } = {}): Operator {
    return new Operator(
      {
        kubernetes: this.kubernetes.api(),
        api: this.kubeloom.api() as ApiClient,
        now: () => new Date(this.now),
        log: (message, fields) => this.log.push(`${message} ${JSON.stringify(fields)}`),
      },
      { namespaces: undefined, ownNamespaceOnly, retryRefusedMs: 300_000 },
    );
  }

  apply(changes: object = {}): void {
    this.kubernetes.apply(path, { spec: spec(), ...changes });
  }

  condition(type: string) {
    const { conditions = [] } = (this.kubernetes.at(path)?.status ?? {}) as {
      conditions?: { type: string; status: string; reason: string; message: string; observedGeneration?: number }[];
    };
    return conditions.find((one) => one.type === type);
  }
}
