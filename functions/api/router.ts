/** The function of all routes. */
import { dispatch } from './http/dispatch.ts';
import { routes } from './routes.ts';

export const handler = dispatch(routes);
