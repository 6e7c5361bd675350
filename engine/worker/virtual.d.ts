/** Made by the build (`vite.config.ts`): `program.ts` with all that it imports, as the text of a classic script. */
declare module "virtual:worker-program" {
  const program: string;
  export default program;
}

/** Likewise `program-systems.ts`. */
declare module "virtual:worker-program-systems" {
  const program: string;
  export default program;
}
