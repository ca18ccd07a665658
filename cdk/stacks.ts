/** All stacks of an installation: what holds state apart from what can be made anew. */
import type { App, Environment } from 'aws-cdk-lib';
import { ApiStack } from './stacks/api-stack.ts';
import { PipelineStack } from './stacks/pipeline-stack.ts';
import { StorageStack } from './stacks/storage-stack.ts';

export interface InstallationProps {
  /** Prefix of stacks and names; two installations of one account differ in it. */
  readonly installation: string;
  /** @default the account and region of the credentials that deploy */
  readonly env?: Environment;
}

export interface Installation {
  readonly storage: StorageStack;
  readonly pipeline: PipelineStack;
  readonly api: ApiStack;
}

/** Adds the stacks to an app; needs no credentials, no network and no Docker. */
export function addStacks(app: App, props: InstallationProps): Installation {
  const { installation, env } = props;
  const common = { ...(env && { env }), tags: { kubeloom: installation } };
  const storage = new StorageStack(app, `${installation}-storage`, {
    ...common,
    description: 'Kubeloom: manifests, cluster states, artifacts. Never deleted with the stack.',
    terminationProtection: true,
  });
  const pipeline = new PipelineStack(app, `${installation}-pipeline`, {
    ...common,
    description: 'Kubeloom: state machines, functions and runners.',
    installation,
    table: storage.table,
    bucket: storage.bucket,
  });
  const api = new ApiStack(app, `${installation}-api`, {
    ...common,
    description: 'Kubeloom: the HTTP API.',
    installation,
    settings: pipeline.settings,
    table: storage.table,
    bucket: storage.bucket,
    reconcileManifest: pipeline.reconcileManifest,
  });
  return { storage, pipeline, api };
}
