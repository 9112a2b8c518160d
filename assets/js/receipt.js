// Prints the thank-you page with all answers, including collapsed ones.
const button = document.getElementById("print");
const folded = document.querySelector(".receipt-all");

button?.addEventListener("click", () => window.print());
if (folded) {
  let wasOpen = false;
  addEventListener("beforeprint", () => {
    wasOpen = folded.open;
    folded.open = true;
  });
  addEventListener("afterprint", () => { folded.open = wasOpen; });
}
