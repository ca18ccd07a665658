/** A kubelet that only runs the container that reads notices, and does what kubelets do with the last words of containers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { expect } from 'vitest';

export const systemPodsPath = '/api/v1/namespaces/kube-system/pods';

/** Runs the container of the notices pod of a node again and again, and puts its last words into the status of the pod. */
export class NoticeKubelet {
  readonly #pod: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #patch: (path: string, body: object) => Promise<{ readonly status: number }>;
  #child: ChildProcess | undefined;
  #isStopped = false;

  /** `patch`: as the kubelet. */
  constructor(
    pod: string,
    environment: Readonly<Record<string, string>>,
    patch: (path: string, body: object) => Promise<{ readonly status: number }>,
  ) {
    this.#pod = pod;
    this.#environment = environment;
    this.#patch = patch;
  }

  async keepRunning(program: string): Promise<void> {
    const words = this.#environment.KUBELOOM_LAST_WORDS ?? '';
    while (!this.#isStopped) {
      rmSync(words, { force: true });
      const child = spawn(process.execPath, [program], {
        env: { PATH: process.env.PATH, ...this.#environment },
        stdio: 'ignore',
      });
      this.#child = child;
      await new Promise((resolve) => child.once('exit', resolve));
      if (this.#isStopped) return;
      const message = existsSync(words) ? readFileSync(words, 'utf8') : '';
      const answer = await this.#patch(`${systemPodsPath}/${this.#pod}/status`, noticePodStatus(message));
      expect(answer.status).toBe(200);
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#child?.kill('SIGKILL');
  }
}

/** Status of the pod; undefined: its container never ended. */
export const noticePodStatus = (message: string | undefined) => ({
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [
      {
        name: 'notices',
        image: 'node',
        imageID: '',
        ready: true,
        restartCount: 1,
        state: { running: { startedAt: '2026-11-01T00:00:00Z' } },
        ...(message !== undefined && { lastState: { terminated: { exitCode: 0, message } } }),
      },
    ],
  },
});
