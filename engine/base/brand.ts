declare const brand: unique symbol;

/** A name that must not be mixed up with another: same at run time, another type at compile time. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
