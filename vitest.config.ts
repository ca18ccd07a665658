import { defineConfig } from 'vitest/config';

/** Unit and component tests; the end-to-end tests on real hosts run from `scripts/test.sh` with the project `hosts`. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          env: { KUBELOOM_KUBERNETES: 'simulated' },
          include: ['test/**/*.test.ts'],
          exclude: ['test/hosts/**', 'test/conformance/**', 'test/real-kubernetes/**'],
          // One process for each worker, not for each file.
          isolate: false,
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
        // Needs moto and schemathesis: scripts/conformance.sh.
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
