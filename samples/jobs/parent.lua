-- When this job succeeds, its child job is fired, once.
gw.log("collecting orders")
gw.sleep(300)
gw.result("42 orders collected")
