/** The largest configuration file, and the largest `.env`. */
export const limitBytes = 256 * 1024;
