package sample;

import com.xxl.job.core.executor.impl.XxlJobSimpleExecutor;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;

/**
 * An executor without Spring. Its settings are those of XXL-JOB's own samples, read from
 * a properties file; a system property of the same name wins.
 */
public final class Main {
    private final Properties settings;

    private Main(Properties settings) {
        this.settings = settings;
    }

    public static void main(String[] args) throws Exception {
        Properties settings = new Properties();
        try (Reader in = Files.newBufferedReader(
                Path.of(args.length > 0 ? args[0] : "xxl-job-executor.properties"), StandardCharsets.UTF_8)) {
            settings.load(in);
        }
        XxlJobSimpleExecutor executor = new Main(settings).executor();
        executor.start();

        // SIGTERM: leave the registry, end the runs, send what is left to report.
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            executor.destroy();
            stopped.countDown();
        }));
        stopped.await();
    }

    private XxlJobSimpleExecutor executor() {
        XxlJobSimpleExecutor executor = new XxlJobSimpleExecutor();
        executor.setXxlJobBeanList(List.of(new SampleJobs()));
        executor.setAdminAddresses(get("xxl.job.admin.addresses"));
        executor.setAccessToken(get("xxl.job.accessToken"));
        executor.setAppname(get("xxl.job.executor.appname"));
        executor.setAddress(get("xxl.job.executor.address"));
        executor.setIp(get("xxl.job.executor.ip"));
        executor.setPort(Integer.parseInt(get("xxl.job.executor.port")));
        executor.setLogPath(get("xxl.job.executor.logpath"));
        executor.setLogRetentionDays(Integer.parseInt(get("xxl.job.executor.logretentiondays")));
        return executor;
    }

    private String get(String key) {
        return System.getProperty(key, settings.getProperty(key, "")).trim();
    }
}
