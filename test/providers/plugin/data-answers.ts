/** What data sources answer where a made-up value would not do: modules pick from it by what they asked for. */
import type { CtyObject } from './cty-value.ts';
import type { CloudObject } from './simulated-cloud.ts';

export interface DataQuestion {
  /** The data source's configuration. */
  readonly asked: CtyObject;
  readonly region: string;
  readonly objects: readonly CloudObject[];
}

/** By data source; attributes that are not answered are made up. */
export const dataAnswers: Readonly<Record<string, (question: DataQuestion) => CtyObject>> = {};
