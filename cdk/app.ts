/** Entry of the CDK command line. */
import { App } from 'aws-cdk-lib';
import { addStacks } from './stacks.ts';

const app = new App();
addStacks(app, { installation: app.node.tryGetContext('installation') ?? 'kubeloom' });
app.synth();
