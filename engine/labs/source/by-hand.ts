/** Somebody at a terminal, in five languages: the orders themselves are shown with what came of them. */
import type { Listings } from "./listing.ts";

export const BY_HAND: Listings = {
  pseudo: `
wait for the next order's moment //@ wait
ask what it says, and note the answer //@ ask
`,
  go: `
for _, order := range orders {
	time.Sleep(time.Until(start.Add(order.At))) //@ wait
	fmt.Println(ask(ctx, order.Request)) //@ ask
}
`,
  java: `
for (var order : orders) {
  Thread.sleep(until(start, order.at())); //@ wait
  System.out.println(client.ask(order.request())); //@ ask
}
`,
  typescript: `
for (const order of orders) {
  await sleepUntil(start + order.at); //@ wait
  console.log(await client.ask(order.request)); //@ ask
}
`,
  cli: `
# at a terminal: wait //@ wait
# type the next command, and read what it prints //@ ask
`,
};
