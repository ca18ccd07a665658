import { spawn } from 'node:child_process';
import { startFixtureProviders } from '/work/main/test/providers/plugin/fixture-providers.ts';
import { readSchemaFixture } from '/work/main/test/providers/plugin/schema-fixture.ts';

const [dir, type, ...more] = process.argv.slice(2);
const fixtures = [type, ...more].map((t) => readSchemaFixture(`/work/main/test/providers/schemas/${t}.json`));
const p = await startFixtureProviders(fixtures);
const c = spawn('node', ['/work/main/cli/main.ts', 'provider', 'test', dir, '--full'], {
  stdio: 'inherit',
  env: { ...process.env, ...p.environment, TF_CLI_CONFIG_FILE: '/dev/null', KUBELOOM_VERDA_PATIENCE_SECONDS: '0' },
});
c.on('exit', async (code) => {
  console.log('exit', code);
  await p.stop();
});
