import { pool } from '../../service/verbs/pool.ts';
import { served } from '../made.ts';
import { plain } from '../schemas/pool.ts';

export const poolRoutes = served('pool', pool, plain);
