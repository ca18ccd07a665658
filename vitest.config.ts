import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that start a platform on real hosts take minutes: one that started last would run alone. Else: the longest files first. */
class PlatformsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const starts = ({ moduleId, project }: TestSpecification): boolean =>
      project.name === 'hosts' && /installation\.ts|supervisor\.ts/.test(readFileSync(moduleId, 'utf8'));
    return sorted.toSorted((a, b) => Number(starts(b)) - Number(starts(a)));
  }
}

/** What `scripts/test.sh` leaves out: long files of unit tests, or the journey on real hosts that ran with the others. */
const part = process.env.KUBELOOM_TEST_PART;
const long = part === 'short' ? ['**/*.long.test.ts'] : [];
const journey = part === 'rest' ? ['test/hosts/main-job.test.ts'] : [];

/** Unit and component tests; the end-to-end tests on real hosts run from `scripts/test.sh` with the project `hosts`. */
export default defineConfig({
  test: {
    sequence: { sequencer: PlatformsFirst },
    projects: [
      {
        test: {
          name: 'unit',
          env: { KUBELOOM_KUBERNETES: 'simulated' },
          include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
          exclude: [
            'test/hosts/**',
            'test/conformance/**',
            'test/real-kubernetes/**',
            'test/console/browser/**',
            ...long,
          ],
          // One process for each worker, not for each file.
          isolate: false,
          globalSetup: ['test/temporary-files.ts'],
          setupFiles: ['test/between-files.ts'],
          // Tests of a process that starts take their time on a busy machine; one that hangs is reported all the same.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'hosts',
          // Real Kubernetes has tests of its own, which say so.
          env: { KUBELOOM_KUBERNETES: 'simulated' },
          include: ['test/hosts/**/*.test.ts'],
          exclude: journey,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
      {
        // Needs what `npm run kubernetes:build` makes: scripts/real-kubernetes.sh.
        test: {
          name: 'kubernetes',
          env: { KUBELOOM_KUBERNETES: 'real' },
          include: ['test/real-kubernetes/**/*.test.ts'],
          testTimeout: 1_200_000,
          hookTimeout: 1_200_000,
        },
      },
      {
        // Needs Chromium: scripts/console-tests.sh.
        test: {
          name: 'console',
          env: { KUBELOOM_KUBERNETES: 'simulated' },
          include: ['test/console/browser/**/*.test.ts'],
          maxWorkers: 2,
          // What a page shows in the end counts, not that it does so within a second, as is the default.
          expect: { poll: { timeout: 100_000 } },
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
      {
        // Needs moto and schemathesis: scripts/conformance.sh.
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          // Linters and Terraform take their time on a busy machine.
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
