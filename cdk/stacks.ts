/** All stacks of an installation: stacks with state are separate from those that can be recreated. */
import type { App } from 'aws-cdk-lib';
import type { ISource } from 'aws-cdk-lib/aws-s3-deployment';
import type { FunctionCode } from './constructs/product-function.ts';
import type { Options } from './options.ts';
import { ApiStack } from './stacks/api-stack.ts';
import { ConsoleStack } from './stacks/console-stack.ts';
import { ObservabilityStack } from './stacks/observability-stack.ts';
import { PipelineStack } from './stacks/pipeline-stack.ts';
import { StorageStack } from './stacks/storage-stack.ts';

export interface Installation {
  readonly storage: StorageStack;
  readonly pipeline: PipelineStack;
  readonly api: ApiStack;
  readonly observability: ObservabilityStack;
  /** Only if the options request it. */
  readonly console?: ConsoleStack;
}

/** Adds the stacks to an app; needs no credentials, no network and no Docker. `consoleFiles` is called only with a console. */
export function addStacks(app: App, options: Options, code: FunctionCode, consoleFiles: () => ISource): Installation {
  const { installation, account, region } = options;
  const env = { ...(account !== undefined && { account }), ...(region !== undefined && { region }) };
  const common = { env, options, tags: { kubeloom: installation } };
  const storage = new StorageStack(app, `${installation}-storage`, {
    ...common,
    description: 'Kubeloom: manifests, cluster states, artifacts, their key. Never deleted with the stack.',
    terminationProtection: true,
  });
  const { table, bucket, key } = storage;
  const pipeline = new PipelineStack(app, `${installation}-pipeline`, {
    ...common,
    code,
    table,
    bucket,
    key,
    description: 'Kubeloom: state machines, functions and runners.',
  });
  const { settings, on } = pipeline;
  const routes = new ApiStack(app, `${installation}-api`, {
    ...common,
    code,
    settings,
    on,
    api: pipeline.api,
    description: 'Kubeloom: the HTTP API.',
  });
  const observability = new ObservabilityStack(app, `${installation}-observability`, {
    ...common,
    pipeline,
    api: pipeline.api,
    table,
    description: 'Kubeloom: alarms and dashboard.',
  });
  // In 0.1.0 the alarms import the API from the stack of its routes, which cannot drop that export while they do.
  routes.addStackDependency(observability);
  const made = { storage, pipeline, api: routes, observability };
  if (!options.console) return made;
  const site = new ConsoleStack(app, `${installation}-console`, {
    ...common,
    api: pipeline.api,
    files: consoleFiles(),
    description: 'Kubeloom: the web console.',
  });
  site.addStackDependency(routes);
  return { ...made, console: site };
}
