/** Entry of the CDK command line. */
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { Source } from 'aws-cdk-lib/aws-s3-deployment';
import { buildConsole } from './build-console.ts';
import { bundleFunctions } from './bundle-functions.ts';
import { addChecks } from './checks.ts';
import { parseOptions } from './options.ts';
import { addStacks } from './stacks.ts';

const app = new App();
const options = parseOptions(app.node.getAllContext());
const bundles = join(app.outdir, 'functions');
await bundleFunctions(bundles);
addStacks(
  app,
  options,
  (name) => Code.fromAsset(join(bundles, name)),
  () => {
    const directory = join(app.outdir, 'console-files');
    buildConsole(directory);
    return Source.asset(directory);
  },
);
addChecks(app);
app.synth();
