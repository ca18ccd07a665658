/**
 * How long a build waits for its credentials: `node bench/build-credentials.ts [BUILDS]` prints JSON, in milliseconds. Each build is one of a platform
 * with the sim runner that asks as a runner does, with a real signature, over HTTP; `asked` is that alone.
 */
import { parseStartBuild } from 'aws-on-loopback/codebuild/build-shapes.ts';
import { region } from 'aws-on-loopback/names.ts';
import { cliClient } from '#cli/connection/api-client.ts';
import { jobOf } from '#contracts/job.ts';
import { waypointKeys } from '#contracts/stage.ts';
import { wire } from '#functions/wire.ts';
import { startPlatform } from '#local/platform.ts';
import { kubeloom } from '#local/product.ts';
import { accessKeyOf, identityOfBuild } from '#local/rights/access-key.ts';
import { openCredentials } from '#runner/build-credentials.ts';
import { benchManifest, untilDone } from './manifests.ts';

const builds = Number(process.argv[2] ?? 40);
process.env.KUBELOOM_LOG = 'none';
const product = kubeloom('sim');
let run: (environment: Readonly<Record<string, string>>) => Promise<unknown> = async () => undefined;
const platform = await startPlatform({
  runner: 'sim',
  inMemory: true,
  apiPort: 0,
  product: {
    ...product,
    async projects(...given) {
      const [sim, ...others] = await product.projects(...given);
      if (sim === undefined || sim.run.kind !== 'function') throw new Error('there is no sim project');
      const usual = sim.run.run;
      return [
        {
          ...sim,
          run: {
            kind: 'function',
            run: (environment, options) =>
              environment.KUBELOOM_BENCH === undefined ? usual(environment, options) : run(environment),
          },
        },
        ...others,
      ];
    },
  },
});
try {
  const api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
  await api.putManifest({ namespace: 'default', name: 'shop' }, benchManifest('shop', 'sim'));
  await untilDone(api, 'shop', 50);
  const [first] = [...platform.builds.newest('sim')].reverse();
  const job = platform.builds.get(first ?? '')?.environment.KUBELOOM_JOB ?? '';
  const parsed = jobOf({ KUBELOOM_JOB: job });
  const key = parsed.kind === 'question' ? '' : waypointKeys.document(parsed.waypoint);
  const bytes = (await wire().artifacts.getText(key))?.length ?? 0;
  const url = process.env.KUBELOOM_CREDENTIALS_URL ?? '';
  const asked: number[] = [];
  run = async (environment) => {
    const identity = identityOfBuild(accessKeyOf(platform.token), environment.CODEBUILD_BUILD_ID ?? '');
    const before = performance.now();
    await openCredentials(url, { ...identity, AWS_REGION: region });
    asked.push(performance.now() - before);
  };
  for (let number = 0; number < builds; number++) {
    const variables = { KUBELOOM_JOB: job, KUBELOOM_BENCH: String(number) };
    const environmentVariablesOverride = Object.entries(variables).map(([name, value]) => ({ name, value }));
    const { id } = platform.builds.start(parseStartBuild({ projectName: 'sim', environmentVariablesOverride }));
    const { status, reason } = await platform.builds.ended(id);
    if (status !== 'SUCCEEDED') throw new Error(`build ${number}: ${reason}`);
  }
  const of = (times: readonly number[]): object => {
    const sorted = times.toSorted((one, other) => one - other);
    const at = (part: number): number => Math.round((sorted[Math.floor(part * (sorted.length - 1))] ?? 0) * 10) / 10;
    return { min: at(0), median: at(0.5), p95: at(0.95), max: at(1) };
  };
  process.stdout.write(`${JSON.stringify({ builds, waypointBytes: bytes, asked: of(asked) }, null, 2)}\n`);
} finally {
  await platform.stop();
}
