/** Names of projects and roles of builds on one machine. */
import { account } from 'aws-on-loopback/names.ts';
import type { RunnerTool } from '#functions/rights/runner-rights.ts';

/** The project of a runner. */
export const runnerProject = (tool: RunnerTool): string => `kubeloom-${tool}`;

/** The role that builds of a project start with: all it may do is ask for credentials. */
export const buildRoleOf = (project: string): string => `${project}-builds`;

/** The role that builds of a runner work in. */
export const toolRoleArn = (tool: RunnerTool): string => `arn:aws:iam::${account}:role/kubeloom-${tool}`;
