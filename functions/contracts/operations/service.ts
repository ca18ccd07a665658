/** Operations on the service itself. */
import { z } from 'zod';
import * as http from '../api-bodies.ts';
import { type Operations, ok } from './operation.ts';

export const serviceOperations = {
  getOpenapi: {
    method: 'GET',
    path: '/v1/openapi.json',
    access: 'anybody',
    tag: 'service',
    summary: 'This document',
    answers: ok('OpenAPI 3.1', z.record(z.string(), z.unknown())),
    problems: [],
  },
  getHealth: {
    method: 'GET',
    path: '/v1/health',
    access: 'anonymous',
    tag: 'service',
    summary: 'See whether the API answers',
    answers: ok('it does', http.Health),
    problems: [],
  },
  getVersion: {
    method: 'GET',
    path: '/v1/version',
    access: 'anybody',
    tag: 'service',
    summary: 'Show the version and the provider types that can be built',
    answers: ok('version', http.Version),
    problems: [],
  },
} as const satisfies Operations;
